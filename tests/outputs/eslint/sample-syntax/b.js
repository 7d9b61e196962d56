function b( {
