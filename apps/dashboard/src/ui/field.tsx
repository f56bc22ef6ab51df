import { type ComponentProps, cloneElement, type ReactElement, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | null;
}

/** A form field with its label, a hint, and the error that the API reported for this field. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldProps & { children: ReactElement<Record<string, unknown>> }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="min-w-0">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {cloneElement(children, {
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(error ? { 'aria-invalid': true } : {}),
      })}
      {error && (
        <p id={`${id}-error`} className="mt-1 text-xs text-fail">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="hint mt-1">
          {hint}
        </p>
      )}
    </div>
  );
}

type Input<Props, Value> = Omit<Props, 'onChange'> & { value: Value; onChange: (value: Value) => void };

/** An input for one line of text. `onChange` receives the typed text. */
export const TextField = ({
  label,
  hint,
  error = null,
  onChange,
  className = '',
  ...rest
}: FieldProps & Input<ComponentProps<'input'>, string>) => (
  <Field label={label} hint={hint} error={error}>
    <input className={`field ${className}`} onChange={({ target }) => onChange(target.value)} {...rest} />
  </Field>
);

/** An input for several lines of text. */
export const TextAreaField = ({
  label,
  hint,
  error = null,
  onChange,
  ...rest
}: FieldProps & Input<ComponentProps<'textarea'>, string>) => (
  <Field label={label} hint={hint} error={error}>
    <textarea className="field font-mono" onChange={({ target }) => onChange(target.value)} {...rest} />
  </Field>
);

/** A native select. `options` maps each value to the text that is shown for it. */
export const ChoiceField = <T extends string>({
  label,
  hint,
  error = null,
  options,
  onChange,
  className = '',
  ...rest
}: FieldProps & Input<ComponentProps<'select'>, T> & { options: Record<T, string> }) => (
  <Field label={label} hint={hint} error={error}>
    <select className={`field ${className}`} onChange={({ target }) => onChange(target.value as T)} {...rest}>
      {(Object.entries(options) as [T, string][]).map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  </Field>
);
