use Test::More;
ok(1, "adds");
BAIL_OUT("no database");
