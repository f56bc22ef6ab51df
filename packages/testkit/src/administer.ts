import pg from 'pg';

export const dropDatabase = (serverUrl: string, name: string): Promise<void> =>
  withAdmin(serverUrl, async (admin) => {
    await admin.query(`drop database if exists ${name} with (force)`);
  });

/** The URL of another database on the same server. */
export const urlOf = (serverUrl: string, name: string): string =>
  Object.assign(new URL(serverUrl), { pathname: `/${name}` }).toString();

/** Connects to a server to create or drop databases. */
export async function withAdmin(url: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
