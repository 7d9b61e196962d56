exports.nothing = 1;
