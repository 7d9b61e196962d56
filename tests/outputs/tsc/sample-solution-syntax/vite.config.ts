export function b( {
