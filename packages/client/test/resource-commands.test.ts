import { describe, expect, it } from 'vitest';
import { useCommand } from './use-command.js';

const { carillon, json } = useCommand();

const idIn = (out: string) => out.split(' ')[0] ?? '';

describe('Resource commands', () => {
  it('the subcommands of carillon users can create, update, show, list and delete users, and add and remove their events', async () => {
    const created = await carillon(
      'users create --first-name Ada --last-name Byron --date-of-birth 1990-12-10 --tz Europe/London',
    );
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/12-10 09:00:00/) });
    const id = idIn(created.out);
    expect((await carillon(`users update ${id} --last-name King --tz Asia/Tokyo`)).code).toBe(0);
    expect((await carillon(`users add-event ${id} anniversary 2019-06-01`)).code).toBe(0);
    const shown = await carillon(`users show ${id}`);
    expect(shown.out).toMatch(/Ada King/);
    expect(shown.out).toMatch(/anniversary +2019-06-01/);
    expect((await carillon(`users remove-event ${id} anniversary`)).code).toBe(0);
    expect((await carillon('users ls')).out).toMatch(new RegExp(`${id} .*Asia/Tokyo`));
    expect((await carillon(`users delete ${id}`)).out).toBe(`${id} is deleted\n`);
    expect((await carillon(`users show ${id}`)).code).toBe(3);
  });

  it('the subcommands of carillon tasks can create, update, show, list, scan and delete tasks', async () => {
    const id = idIn((await carillon('tasks create --title Invoice --due +12h')).out);
    expect((await carillon(`tasks update ${id} --title Offer`)).code).toBe(0);
    expect((await carillon(`tasks show ${id}`)).out).toMatch(/title +Offer/);
    expect((await carillon('tasks scan')).out).toBe('1 due: 1 sent, 0 skipped, 0 failed\n');
    expect((await json('tasks ls')).items).toHaveLength(1);
    expect((await carillon(`tasks delete ${id}`)).code).toBe(0);
    expect((await carillon('tasks ls')).out).toBe('No tasks.\n');
  });

  it('the subcommands of carillon reminders can create, show, list and cancel reminders', async () => {
    const id = idIn((await carillon('reminders create --message Dentist --recipient ada --at +2h')).out);
    expect((await carillon(`reminders show ${id}`)).out).toMatch(/status +scheduled/);
    expect((await carillon('reminders ls')).out).toMatch(/ada +Dentist/);
    expect((await carillon(`reminders cancel ${id}`)).out).toBe(`${id} is cancelled\n`);
    expect((await carillon(`reminders show ${id}`)).out).toMatch(/status +cancelled/);
  });

  it('the subcommands of carillon templates can create, update, show, list and delete templates', async () => {
    expect((await carillon('templates create early --cron @daily --tz Asia/Tokyo')).code).toBe(0);
    expect((await carillon('templates update early --every 2h')).code).toBe(0);
    expect((await carillon('templates show early')).out).toMatch(/every PT2H/);
    expect((await carillon('templates ls')).out).toMatch(/hourly +yes/);
    expect((await carillon('templates delete early')).code).toBe(0);
    expect((await carillon('templates delete hourly')).code).toBe(5);
  });

  it('the subcommands of carillon channels can create, show, test, list and delete alert channels', async () => {
    const line = 'channels create hook --type webhook --to http://127.0.0.1:9/alerts';
    expect((await carillon(line)).out).toContain('hook is created');
    expect((await carillon('channels show hook')).out).toMatch(/to +http:\/\/127\.0\.0\.1:9\/alerts/);
    const tested = await carillon('channels test hook');
    expect(tested).toMatchObject({ code: 1, out: expect.stringMatching(/^pending: .*ECONNREFUSED/) });
    expect((await carillon('channels ls')).out).toMatch(/hook +webhook +yes +pending/);
    expect((await carillon('channels delete hook')).out).toBe('hook is deleted\n');
  });

  it('the subcommands of carillon alerts can list alerts, and start, list and end maintenance windows', async () => {
    expect((await carillon('alerts ls --open')).out).toBe('No alerts.\n');
    expect((await carillon('alerts silence')).code).toBe(2);
    const { id } = await json('alerts silence --until +2h --note upgrade');
    expect((await carillon('alerts maintenance')).out).toMatch(new RegExp(`${id} +all .*upgrade`));
    expect((await carillon(`alerts unsilence ${id}`)).code).toBe(0);
    expect((await json('alerts maintenance')).items).toEqual([]);
  });

  it('carillon schedules heartbeat shows the URL at which a job reports and its latest reports, and --rotate replaces the URL', async () => {
    await carillon('schedules create --id backup --every 1h --target heartbeat:30m');
    expect((await carillon('schedules show backup')).out).toContain('succeeds 100% of the last 1');
    const { url } = await json('schedules heartbeat backup');
    await fetch(url, { method: 'POST', body: 'done' });
    expect((await carillon('schedules heartbeat backup')).out).toMatch(/success +done/);
    expect((await json('schedules heartbeat backup --rotate')).url).not.toBe(url);
  });

  it('the subcommands of carillon calendars can set, show, list and delete calendars', async () => {
    expect((await carillon('calendars set holidays 2026-12-25 2026-12-31/2027-01-01')).out).toBe(
      'holidays holds 2 dates; 0 schedules are re-timed\n',
    );
    expect((await carillon('calendars show holidays')).out).toContain('2026-12-31/2027-01-01');
    expect((await carillon('calendars ls --all')).out).toContain('holidays');
    expect((await carillon('calendars delete holidays')).out).toBe('holidays is deleted\n');
  });

  it('the subcommands of carillon projects can create, update and list projects', async () => {
    expect((await carillon('projects create billing --max-schedules 10')).code).toBe(0);
    expect((await carillon('projects update billing --name Bills')).code).toBe(0);
    expect((await carillon('projects ls')).out).toMatch(/billing +Bills +10/);
    expect((await carillon('projects create billing')).code).toBe(5);
  });

  it('carillon completion needs no API, and an unknown shell is refused', async () => {
    expect((await carillon('completion bash')).out).toContain('complete -o default -F _carillon carillon');
    expect(await carillon('completion tcsh')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('expected bash'),
    });
  });
});
