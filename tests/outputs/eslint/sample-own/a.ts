const a: number = 1;
