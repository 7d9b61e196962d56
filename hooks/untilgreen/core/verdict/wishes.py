"""What a prompt that is wholly a wish asks of the loop: to go on, or to hold no more. Pure."""

from untilgreen.core.record import Literal

Wish = Literal["go on", "stop", ""]
_GO_ON = {
    *("go on", "go", "continue", "keep going", "go ahead", "carry on", "proceed", "resume"),
    *("weiter", "mach weiter", "weitermachen"),  # German
    *("continue", "continuez", "vas-y"),  # French
    *("sigue", "continúa", "adelante", "continua", "avanti", "prosegui"),  # Spanish, Portuguese, Italian
    *("продолжай", "дальше"),  # Russian
    *("继续", "继续吧", "接着做", "繼續", "続けて", "続行"),  # Chinese, Japanese
    *("계속", "계속해", "계속해줘", "계속하세요", "계속 진행"),  # Korean
}
_STOP = {
    *("stop", "stop it", "stop now", "leave it", "cancel", "halt", "enough", "that is enough", "that's enough"),
    *("stopp", "halt", "lass es", "hör auf", "abbrechen", "genug"),
    *("arrête", "arrêtez", "ça suffit"),
    *("para", "detente", "basta", "pare", "fermati"),
    *("стоп", "хватит", "остановись"),
    *("停", "停止", "停下", "停下来", "别做了", "取消", "止めて", "停止して"),
    *("그만", "그만해", "멈춰", "중지", "중단", "취소"),
}
_POLITE = ("please", "bitte", "s'il te plaît", "por favor", "пожалуйста", "请")
_LONGEST = 60  # characters; more is never wholly a wish
_AROUND = " \t\r\n.,!\u2026\u3002\uff01\uff0c\u3001"  # and those of Chinese and Japanese


def of(prompt: str) -> Wish:
    """The wish, "" where the prompt is anything else, be it with a wish in it."""
    if len(prompt) > _LONGEST:
        return ""
    text = " ".join(prompt.casefold().replace("\u2019", "'").split()).strip(_AROUND)
    for word in _POLITE:
        text = text.removeprefix(word).removesuffix(word).strip(_AROUND)
    return "go on" if text in _GO_ON else "stop" if text in _STOP else ""
