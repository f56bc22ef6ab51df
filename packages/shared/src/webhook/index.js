export * from './address.js';
export * from './classify.js';
export * from './header-rules.js';
export * from './redact.js';
export * from './secret.js';
export * from './vet-url.js';
//# sourceMappingURL=index.js.map