import { escaped, layout } from './layout.js';

const STYLE = `
main { max-width: 380px; margin: 14vh auto 0; padding: 0 20px }
label { display: block; margin: 20px 0 6px; font-weight: 600 }
input { width: 100%; padding: 10px 12px; font: inherit; color: inherit; background: var(--tint); border: 1px solid var(--line); border-radius: 6px }
button { margin-top: 14px; width: 100%; padding: 10px; font: inherit; font-weight: 600; color: #fff; background: #9a5b12; border: 0; border-radius: 6px; cursor: pointer }
.problem { margin-top: 14px; padding: 10px 12px; border: 1px solid var(--delete); border-radius: 6px; color: var(--delete) }
`;

/** The page on which a person signs in with an API key. */
export function renderSignIn({ next, problem }: { next: string; problem?: string | undefined }): string {
  return layout({
    title: 'Sign in · Carillon',
    style: STYLE,
    body: `<main>
<h1>Carillon</h1>
<p class="soft">Sign in with an API key. The session lasts a week. The key itself is not stored in this browser.</p>
<form method="post" action="sign-in">
<input type="hidden" name="next" value="${escaped(next)}">
<label for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required autofocus spellcheck="false" placeholder="ck_…">
${problem ? `<p class="problem" role="alert">${escaped(problem)}</p>` : ''}
<button>Sign in</button>
</form></main>`,
  });
}
