export * from './address.js';
export * from './header-rules.js';
export * from './redact.js';
export * from './secret.js';
export * from './vet-url.js';
