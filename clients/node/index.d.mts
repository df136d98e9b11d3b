export { ObservationalMemory as default } from './index.js';
export * from './index.js';
