import { ADMIN_KEY } from '@carillon/testkit';

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field, and what is not there fails the test.
  body: any;
}

/** Asks an API that runs as a process of its own. */
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
