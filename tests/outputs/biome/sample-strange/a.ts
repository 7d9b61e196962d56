// biome-ignore lint/suspicious/noDebugger: wanted
export const a = 1;
