import {afterAll,test} from "vitest";
afterAll(() => { throw new Error("after all"); });
test("passes", () => {});
