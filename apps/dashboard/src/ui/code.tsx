import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

/** Text in a fixed font, with a button that copies it. */
export function Code({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <div className="relative min-w-0">
      <pre
        className="max-h-[420px] overflow-auto rounded-md bg-sunken p-3 pr-10 text-xs leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        {text}
      </pre>
      <button
        type="button"
        className="btn btn-quiet btn-icon absolute top-1.5 right-1.5"
        aria-label={isCopied ? 'Copied' : `Copy ${label}`}
        onClick={() => navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
      >
        {isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      </button>
    </div>
  );
}
