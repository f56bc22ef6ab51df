import { ADMIN_KEY } from '@carillon/testkit';

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at a response field by field, and a missing field fails the test.
  body: any;
}

/** Sends requests to an API, over HTTP. */
export function useHttp(url: () => string, key = ADMIN_KEY) {
  return async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const response = await fetch(`${url()}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };
}
