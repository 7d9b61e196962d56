interface Box { inner: { size: number } }
export const box: Box = { inner: { size: "1" } };
export const take: (box: Box) => void = (_box: { inner: { size: string } }) => {};
