import scrimshaw from './index.js';

export const { ObservationalMemory, ScrimshawError } = scrimshaw;
export default ObservationalMemory;
