import { formatCount } from '../format/time.js';
import { TextField } from './field.js';

/** To confirm an action on more items than this, the user has to type the number of items. */
const TYPED_ABOVE = 100;

export const isCountConfirmed = (count: number, typed: string) =>
  count <= TYPED_ABOVE || typed.replaceAll(/\D/g, '') === String(count);

export function TypedCount({
  count,
  typed,
  onChange,
}: {
  count: number;
  typed: string;
  onChange: (typed: string) => void;
}) {
  if (count <= TYPED_ABOVE) return null;
  return (
    <TextField
      label={`Type ${formatCount(count)} to confirm`}
      inputMode="numeric"
      autoComplete="off"
      value={typed}
      onChange={onChange}
    />
  );
}
