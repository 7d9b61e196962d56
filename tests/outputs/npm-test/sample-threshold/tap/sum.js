exports.sum = (a, b) => (a ? a + b : b);
exports.never = () => 1;
