import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { markSession } from '../api/session-mark.js';
import { Field } from '../ui/field.js';
import { Problem } from '../ui/parts.js';
import { Bell } from './bell.js';

/** Exchanges an API key for a session. The page does not store the key. */
export function SignIn() {
  const [key, setKey] = useState('');
  const signIn = useMutation({
    mutationFn: () => carillon.session.start(key.trim()),
    onSuccess: () => {
      markSession(true);
      return queries.resetQueries();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== '') signIn.mutate();
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center p-6">
      <div className="mb-5 flex items-center gap-2.5">
        <Bell size={26} />
        <h1>Carillon</h1>
      </div>
      <form onSubmit={submit} className="card flex flex-col gap-4 p-5">
        <Field
          label="API key"
          hint={
            <>
              <code>npm start</code> prints the local key. Your browser keeps a session, never the key.
            </>
          }
        >
          <input
            className="field font-mono"
            type="password"
            name="key"
            autoComplete="current-password"
            // biome-ignore lint/a11y/noAutofocus: the page has this one field.
            autoFocus
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </Field>
        {signIn.error && <Problem error={signIn.error} />}
        <button type="submit" className="btn btn-primary" disabled={signIn.isPending || key.trim() === ''}>
          {signIn.isPending ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
