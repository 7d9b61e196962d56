export declare const n: number;
