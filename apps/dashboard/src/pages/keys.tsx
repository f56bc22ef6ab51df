import type { Key, NewKey, Scope } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { carillon, fieldError } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan, useMe } from '../api/session.js';
import { Code } from '../ui/code.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { ActionHead, Empty, PageTitle, QueryState } from '../ui/parts.js';
import { Ago, Instant } from '../ui/times.js';
import { showToast } from '../ui/toasts.js';
import { SigningSecretCard } from './signing-secret-card.js';

const SCOPES: Record<Scope, string> = {
  read: 'read: sees everything',
  write: 'write: also changes schedules and runs',
  admin: 'admin: also creates keys and projects',
};

/** API keys of the project. A key is shown once, when it is made. */
export function Keys() {
  const isAdmin = useCan('admin');
  const me = useMe();
  const [isMaking, setIsMaking] = useState(false);
  const [revoked, revoke] = useState<Key | null>(null);
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => carillon.keys.list({ limit: 100 }, { signal }).page(),
    enabled: isAdmin,
  });
  if (!isAdmin) return <Empty title="This key lacks the scope admin">Keys are for admins.</Empty>;
  return (
    <>
      <PageTitle title="Keys" lead="A session ends with its key, within a second.">
        <button type="button" className="btn btn-primary" onClick={() => setIsMaking(true)}>
          <Plus size={15} aria-hidden="true" />
          New key
        </button>
      </PageTitle>
      <div className="card overflow-hidden">
        <QueryState query={keys} rows={4} />
        {keys.data && (
          <table className="rows">
            <thead>
              <tr>
                <th>Name</th>
                <th>Begins with</th>
                <th>Scopes</th>
                <th>Made</th>
                <th>Last used</th>
                <th>Expires</th>
                <ActionHead />
              </tr>
            </thead>
            <tbody>
              {keys.data.items.map((key) => (
                <tr key={key.id} className={key.revokedAt ? 'text-faint' : ''}>
                  <td data-label="Name" className="font-medium">
                    <span>
                      {key.name} {key.id === me.keyId && <span className="chip">yours</span>}
                    </span>
                  </td>
                  <td data-label="Begins with">
                    <code>{key.prefix}…</code>
                  </td>
                  <td data-label="Scopes" className="w-full">
                    {key.scopes.join(', ')}
                  </td>
                  <td data-label="Made" className="whitespace-nowrap">
                    <Ago at={key.createdAt} />
                  </td>
                  <td data-label="Last used" className="whitespace-nowrap">
                    {key.lastUsedAt ? <Ago at={key.lastUsedAt} /> : 'never'}
                  </td>
                  <td data-label="Expires" className="whitespace-nowrap">
                    {key.expiresAt ? <Instant at={key.expiresAt} /> : 'never'}
                  </td>
                  <td data-label="">
                    {key.revokedAt ? (
                      <span>
                        revoked <Ago at={key.revokedAt} />
                      </span>
                    ) : (
                      <button type="button" className="btn btn-danger" onClick={() => revoke(key)}>
                        Revoke
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <div className="mt-4">
        <SigningSecretCard />
      </div>
      {isMaking && <MakeKey onClose={() => setIsMaking(false)} />}
      {revoked && (
        <RevokeKey subject={revoked} isMine={revoked.id === me.keyId} onClose={() => revoke(null)} />
      )}
    </>
  );
}

function MakeKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const make = useMutation({
    mutationFn: () => carillon.keys.create({ name, scopes: [scope] }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (make.data) return <ShowKey made={make.data} onClose={onClose} />;
  return (
    <FormDialog title="New key" action={make} submit="Make the key" canSubmit={name !== ''} onClose={onClose}>
      <TextField
        label="Name"
        hint="The audit log shows this name for each change made with the key."
        error={fieldError(make.error, 'name')}
        required
        value={name}
        onChange={setName}
      />
      <ChoiceField label="Scope" options={SCOPES} value={scope} onChange={setScope} />
    </FormDialog>
  );
}

const ShowKey = ({ made, onClose }: { made: NewKey; onClose: () => void }) => (
  <Dialog title={`The key ${made.name}`} onClose={onClose}>
    <p className="mb-3 text-sm text-soft">Copy it now: it is shown this once.</p>
    <Code text={made.key} label="the new key" />
    <DialogButtons>
      <button type="button" className="btn btn-primary" onClick={onClose}>
        I have it
      </button>
    </DialogButtons>
  </Dialog>
);

function RevokeKey({ subject, isMine, onClose }: { subject: Key; isMine: boolean; onClose: () => void }) {
  const revoke = useMutation({
    mutationFn: () => carillon.keys.revoke(subject.id),
    onSuccess: () => {
      onClose();
      void queries.invalidateQueries({ queryKey: ['keys'] });
      showToast(`Revoked ${subject.name}.`);
    },
  });
  return (
    <FormDialog title={`Revoke ${subject.name}`} action={revoke} submit="Revoke" isDanger onClose={onClose}>
      <p className="text-sm text-soft">
        Programs that use it are refused at once, and its sessions end. It can’t be undone.
        {isMine && <strong className="text-fail"> You are signed in with this key.</strong>}
      </p>
    </FormDialog>
  );
}
