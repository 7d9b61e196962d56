export interface A { a: number }
