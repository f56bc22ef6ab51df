import { useMutation, useQuery } from '@tanstack/react-query';
import { Eye, EyeOff, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useMe } from '../api/session.js';
import { Code } from '../ui/code.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Card, Problem } from '../ui/parts.js';
import { showToast } from '../ui/toasts.js';

const queryKey = ['signing-secret'];

/** The secret that signs the webhooks of the project, for admins. It is hidden until the admin asks to see it. */
export function SigningSecretCard() {
  const { project } = useMe();
  const [isShown, setIsShown] = useState(false);
  const [isRotating, setIsRotating] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Card
      title="Signing secret"
      side={
        <>
          <button type="button" className="btn" onClick={() => setIsShown(!isShown)}>
            <Icon size={15} aria-hidden="true" />
            {isShown ? 'Hide' : 'Show'}
          </button>
          <button type="button" className="btn btn-danger" onClick={() => setIsRotating(true)}>
            <RefreshCw size={15} aria-hidden="true" />
            Rotate
          </button>
        </>
      }
    >
      <p className="mb-3 text-sm text-soft">
        It signs the webhooks of this project, except those of schedules with a secret of their own. Receivers
        verify them with it.
      </p>
      {isShown ? <Secret project={project} /> : <Masked />}
      {isRotating && (
        <RotateSecret
          project={project}
          onRotated={() => setIsShown(true)}
          onClose={() => setIsRotating(false)}
        />
      )}
    </Card>
  );
}

function Secret({ project }: { project: string }) {
  const read = useQuery({
    queryKey,
    queryFn: ({ signal }) => carillon.projects.secret(project, { signal }),
    // The page forgets the secret as soon as it is hidden again.
    gcTime: 0,
  });
  if (read.error) return <Problem error={read.error} retry={() => void read.refetch()} />;
  if (!read.data) return <Masked />;
  return <Code key={read.data.secret} text={read.data.secret} label="the signing secret" />;
}

const Masked = () => (
  <code className="block rounded-md bg-sunken p-3 text-xs leading-relaxed text-soft">
    whsec_<span aria-hidden="true">••••••••••••••••</span>
    <span className="sr-only"> and more, hidden</span>
  </code>
);

function RotateSecret({
  project,
  onRotated,
  onClose,
}: {
  project: string;
  onRotated: () => void;
  onClose: () => void;
}) {
  const rotate = useMutation({
    mutationFn: () => carillon.projects.rotateSecret(project),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey });
      onRotated();
      onClose();
      showToast('The signing secret was rotated. Give the new one to your receivers within 24 hours.');
    },
  });
  return (
    <FormDialog title="Rotate the signing secret" action={rotate} submit="Rotate" isDanger onClose={onClose}>
      <p className="text-sm text-soft">
        For 24 hours each webhook is signed with both the new secret and the present one, so receivers go on
        working. Give them the new secret in this time: afterwards they refuse webhooks if they know only the
        present one. Only two secrets are valid at once: the one before the present one ends now.
      </p>
    </FormDialog>
  );
}
