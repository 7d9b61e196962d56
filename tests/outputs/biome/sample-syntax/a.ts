export function a( {
