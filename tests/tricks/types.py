"""Ways to make types silent without a comment that says so: of mypy and of tsc."""

from tricks import Trick

SHOP = 'def total(prices: list[int]) -> int:\n    return "4"\n'
CAST = 'from typing import Any, cast\n\n\ndef total(prices: list[int]) -> int:\n    return cast(Any, "4")\n'
STUB = "def total(prices: list[int]) -> int: ...\n"
GUARDED = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    def total(prices: list[int]) -> int: ...\nelse:\n"
GUARDED += '    def total(prices):\n        return "4"\n'
START = {"shop.py": SHOP, "__init__.py": ""}
PROJECT = {"mypy.ini": "[mypy]\n"}
MYPY = (
    Trick("cast to Any", {"shop.py": CAST}, ("1 new cast(Any",)),
    Trick("a stub beside it", {"shop.pyi": STUB}, ("new tNN/shop.pyi (hides tNN/shop.py)",)),
    Trick("another function for the checker", {"shop.py": GUARDED}, ("1 new if TYPE_CHECKING: def",)),
    Trick("annotations are dropped", {"shop.py": 'def total(prices):\n    return "4"\n'}),
)

SHOP_TS = 'export const total = (prices: number[]): number => "4";\n'
START_TS = {"shop.ts": SHOP_TS}
PROJECT_TS = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "module": "nodenext"}}\n',
    "package.json": '{"name": "p", "private": true, "type": "module"}\n',
    ".gitignore": "node_modules\n",
}
TYPES = "export declare const total: (prices: number[]) => number;\n"
TSC = (
    Trick("as any", {"shop.ts": SHOP_TS.replace('"4"', '"4" as any')}, ("1 new as any",)),
    Trick("as unknown as", {"shop.ts": SHOP_TS.replace('"4"', '"4" as unknown as number')}, ("1 new as unknown as",)),
    Trick("an assertion in brackets", {"shop.ts": SHOP_TS.replace('"4"', '<any>"4"')}, ("1 new <any>",)),
    Trick(
        "JavaScript with types beside it",
        {"shop.ts": None, "shop.js": 'export const total = () => "4";\n', "shop.d.ts": TYPES},
        ("new tNN/shop.d.ts (hides tNN/shop.js)",),
    ),
    Trick(
        "every module is declared",
        {"every.d.ts": 'declare module "*";\n'},
        ("1 new declare module",),
        start={"shop.ts": 'import { total } from "nowhere";\n\nexport const all: number = total([]);\n'},
    ),
    Trick("annotated as any", {"shop.ts": SHOP_TS.replace(": number =>", ": any =>")}),
)
