# ruff: noqa: E501 - a sentence of SAS is one line
"""What SAS calls things in a log, language by language: a table that a user can add to.

English was read off real logs. Other languages rest on memory of SAS's national versions and on
no real file: whatever is read with them is marked ``unverified``. A log keeps the words NOTE, ERROR
and WARNING in most languages, and often the labels ``real time`` and ``cpu time`` too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from perfkit.core.errors import UsageError, did_you_mean
from perfkit.sources.sas.schema import TIMES, USAGE

TIME, SIZE, COUNT, STAMP = "time", "size", "count", "stamp"

_KINDS: dict[tuple[object, str | None], str] = {
    (pl.Float64, "s"): TIME,
    (pl.Float64, "bytes"): SIZE,
    (pl.Int64, None): COUNT,
    (pl.Datetime("us"), None): STAMP,
}
# no block prints its start: it is computed
_PRINTED = {name: item for name, item in {**TIMES, **USAGE}.items() if name != "start"}
_FOUND = {name: _KINDS.get((item.dtype, item.unit)) for name, item in _PRINTED.items()}
FIELDS = {name: kind for name, kind in _FOUND.items() if kind is not None}
"""Column of a block -> how its value is written."""


@dataclass(frozen=True)
class Language:
    """The words of one language.

    Attributes:
        name: Its name in English.
        labels: Label of a line in a timing block, in small letters -> column of ``steps``. Blanks
            in it, and in ``page``, may be missing in the log.
        data, proc, session, initialization: Regular expressions over the text behind ``NOTE: ``
            that tell whose block begins; ``proc`` has a group ``name``.
        notes, errors, warnings: The words that begin a message.
        seconds: Words behind a time below one minute.
        page: Names in the page headers.
        read, written, table: Regular expressions with the groups ``n`` (observations), ``v``
            (variables) and ``name``.
        verified: Whether it was met in real logs.
    """

    name: str
    labels: Mapping[str, str]
    data: str = r"(?!)"
    proc: str = r"(?!)(?P<name>)"
    session: str = r"(?!)"
    initialization: str = r"(?!)"
    notes: tuple[str, ...] = ("NOTE",)
    errors: tuple[str, ...] = ("ERROR",)
    warnings: tuple[str, ...] = ("WARNING",)
    seconds: tuple[str, ...] = ("seconds",)
    page: tuple[str, ...] = ("The SAS System",)
    read: str = r"(?!)"
    written: str = r"(?!)"
    table: str = r"(?!)"
    verified: bool = False
    _heads: dict[str, re.Pattern[str]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        for label, column in self.labels.items():
            if column not in FIELDS:
                raise UsageError(
                    f"{self.name}: label {label!r}: no column {column!r}; "
                    f"{did_you_mean(column, list(FIELDS))}"
                )
        for kind in ("data", "proc", "session", "initialization", "read", "written", "table"):
            try:
                self._heads[kind] = re.compile(getattr(self, kind), re.I)
            except re.error as problem:
                raise UsageError(
                    f"{self.name}: {kind}: not a regular expression: {problem}"
                ) from None
        if "name" not in self._heads["proc"].groupindex:
            raise UsageError(f"{self.name}: proc: needs a group (?P<name>...)")

    def pattern(self, kind: str) -> re.Pattern[str]:
        """The compiled expression of a kind: data, proc, session, initialization, read ..."""
        return self._heads[kind]


NAME = r"(?P<name>(?:\"[^\"]*\"n|'[^']*'n|[^\s.\"'])+(?:\.(?:\"[^\"]*\"n|'[^']*'n|[^\s.\"'])+)*)"
"""LIBREF.NAME, either part perhaps a name literal."""
_NAME_2 = NAME.replace("?P<name>", "?P<name2>")

_TOTAL = r"(?:\s*\(Total process time\))?\s*:?\s*$"

ENGLISH = Language(
    "English",
    {
        "real time": "real_time_s",
        "user cpu time": "user_cpu_s",
        "system cpu time": "system_cpu_s",
        "cpu time": "cpu_s",
        "elapsed time": "real_time_s",
        "memory": "memory_bytes",
        "os memory": "os_memory_bytes",
        "task memory": "memory_bytes",
        "total memory": "os_memory_bytes",
        "timestamp": "timestamp",
        "step count": "step_count",
        "switch count": "switch_count",
        "page faults": "page_faults",
        "page reclaims": "page_reclaims",
        "page swaps": "page_swaps",
        "voluntary context switches": "voluntary_context_switches",
        "involuntary context switches": "involuntary_context_switches",
        "block input operations": "block_input_operations",
        "block output operations": "block_output_operations",
        "excp count": "excp_count",
        "buffered io": "buffered_io",
        "direct io": "direct_io",
    },
    data=rf"(?:The )?DATA statement used{_TOTAL}"
    r"|(?:The )?DATA statement used the following resources\s*:?\s*$"
    r"|The data step took\s*:\s*$",
    proc=rf"(?:The )?PROCEDURE (?P<name>\S+) used{_TOTAL}"
    r"|(?:The )?PROCEDURE (?P<zos>\S+) used the following resources\s*:?\s*$"
    r"|Procedure (?P<slc>\S+) step took\s*:\s*$",
    session=rf"The SAS System used{_TOTAL}"
    r"|The SAS (?:System|session) used the following resources\s*:?\s*$"
    r"|Submitted statements took\s*:\s*$",
    initialization=rf"SAS initialization used{_TOTAL}"
    r"|The SAS initialization phase used(?: the following resources)?\s*:?\s*$"
    r"|The initialization phase used(?: the following resources)?\s*:?\s*$",
    seconds=("seconds", "second", "sec", "s"),
    page=("The SAS System", "Altair SLC", "The WPS System", "WPS"),
    read=rf"There (?:were|was) (?P<n>[\d,]+) observations? read from the data ?set {NAME}\.?(?=\s|$)"
    r"|(?P<n2>[\d,.]+) observations?(?:\(s\))? (?:was|were) read from \"(?P<name2>[^\"]+)\"",
    written=rf"The data set {NAME} has (?P<n>[\d,.]+) observations? and (?P<v>\d+) variables?"
    r"|Data set \"(?P<name2>[^\"]+)\" has (?P<n2>[\d,.]+|an unknown number of) observation\(s\) and (?P<v2>\d+) variable",
    table=rf"Table {NAME} created,? with (?P<n>[\d,]+) rows? and (?P<v>\d+) columns?",
    verified=True,
)

GERMAN = Language(
    "German",
    {
        "echtzeit": "real_time_s",
        "verstrichene zeit": "real_time_s",
        "reale zeit": "real_time_s",
        "benutzer-cpu-zeit": "user_cpu_s",
        "user cpu-zeit": "user_cpu_s",
        "system-cpu-zeit": "system_cpu_s",
        "cpu-zeit": "cpu_s",
        "cpu zeit": "cpu_s",
        "speicher": "memory_bytes",
        "arbeitsspeicher": "memory_bytes",
        "os-speicher": "os_memory_bytes",
        "betriebssystemspeicher": "os_memory_bytes",
        "zeitstempel": "timestamp",
    },
    data=r"(?:DATA[- ](?:Anweisung|Schritt|statement)|Anweisung DATA)\b.*:\s*$"
    r"|Verwendet wurde: DATA.*:\s*$",
    proc=r"(?:PROZEDUR|PROCEDURE) (?P<name>\S+) .*:\s*$|Verwendet wurde: PRO[CZ]EDUR[E]? (?P<n2>\S+) .*:\s*$",
    session=r"(?:Das )?SAS[- ]System (?:verwendet|benutzt|hat .*verwendet|used).*:\s*$",
    initialization=r"SAS[- ]Initialisierung .*:\s*$",
    notes=("NOTE", "HINWEIS"),
    errors=("ERROR", "FEHLER"),
    warnings=("WARNING", "WARNUNG"),
    seconds=("Sekunden", "Sekunde", "Sek"),
    page=("Das SAS System", "Das SAS-System", "SAS System"),
    read=rf"Es wurden? (?P<n>\d+) Beobachtungen? aus (?:der Datei|dem Dataset|der Tabelle) {NAME}\.?\s",
    written=rf"Die Datei {NAME} (?:weist|hat|enthält) (?P<n>\d+) Beobachtungen? und (?P<v>\d+) Variablen?",
    table=rf"Tabelle {NAME} (?:wurde )?(?:erstellt|erzeugt).*?(?P<n>\d+) Zeilen? und (?P<v>\d+) Spalten?",
)

FRENCH = Language(
    "French",
    {
        "temps réel": "real_time_s",
        "temps reel": "real_time_s",
        "temps écoulé": "real_time_s",
        "temps uc utilisateur": "user_cpu_s",
        "temps processeur utilisateur": "user_cpu_s",
        "temps uc système": "system_cpu_s",
        "temps processeur système": "system_cpu_s",
        "temps uc": "cpu_s",
        "temps processeur": "cpu_s",
        "temps cpu": "cpu_s",
        "mémoire": "memory_bytes",
        "mémoire se": "os_memory_bytes",
        "mémoire os": "os_memory_bytes",
        "horodatage": "timestamp",
    },
    data=r"(?:L'|L’)?(?:étape|instruction) DATA .*:\s*$"
    r"|DATA statement .*:\s*$|(?:Étape|Instruction) DATA .*:\s*$",
    proc=r"(?:La )?PROC[EÉ]DURE (?P<name>\S+) .*:\s*$",
    session=r"(?:Le )?Système SAS .*utilis.*:\s*$",
    initialization=r"(?:L'|L’)?initialisation (?:de )?SAS .*:\s*$",
    notes=("NOTE", "REMARQUE"),
    errors=("ERROR", "ERREUR"),
    warnings=("WARNING", "AVERTISSEMENT"),
    seconds=("secondes", "seconde"),
    page=("Le Système SAS", "Le Systeme SAS", "Système SAS"),
    read=rf"Il y (?:a|avait|a eu) (?P<n>\d+) observations? lues? (?:dans|de|depuis) (?:la table|le jeu de données|l'ensemble de données) {NAME}\.?(?=\s|$)",
    written=rf"(?:La table|Le jeu de données|L'ensemble de données) {NAME} (?:a|contient|comporte) (?P<n>\d+) observations? et (?P<v>\d+) variables?",
    table=rf"Table {NAME} créée,? (?:avec )?(?P<n>\d+) lignes? et (?P<v>\d+) colonnes?",
)

SPANISH = Language(
    "Spanish",
    {
        "tiempo real": "real_time_s",
        "tiempo de cpu del usuario": "user_cpu_s",
        "tiempo de cpu de usuario": "user_cpu_s",
        "tiempo de cpu del sistema": "system_cpu_s",
        "tiempo de cpu": "cpu_s",
        "tiempo cpu": "cpu_s",
        "memoria": "memory_bytes",
        "memoria del so": "os_memory_bytes",
        "memoria so": "os_memory_bytes",
        "marca de tiempo": "timestamp",
    },
    data=r"(?:(?:La )?(?:sentencia|instrucción) DATA|DATA statement|El paso DATA) .*:\s*$",
    proc=r"(?:El )?(?:PROCEDIMIENTO|PROCEDURE) (?P<name>\S+) .*:\s*$",
    session=r"(?:El )?Sistema SAS .*:\s*$",
    initialization=r"(?:La )?inicialización de SAS .*:\s*$",
    notes=("NOTE", "NOTA"),
    warnings=("WARNING", "ADVERTENCIA"),
    seconds=("segundos", "segundo"),
    page=("El Sistema SAS", "Sistema SAS"),
    read=rf"Se han leído (?P<n>\d+) observaciones del (?:conj\.? (?:de )?datos|conjunto de datos) {NAME}\.?(?=\s|$)",
    written=rf"El (?:conj\.? (?:de )?datos|conjunto de datos) {NAME} tiene (?P<n>\d+) observaciones y (?P<v>\d+) variables",
    table=rf"Tabla {NAME} creada,? con (?P<n>\d+) filas y (?P<v>\d+) columnas",
)

ITALIAN = Language(
    "Italian",
    {
        "tempo reale": "real_time_s",
        "tempo cpu utente": "user_cpu_s",
        "tempo cpu sistema": "system_cpu_s",
        "tempo cpu": "cpu_s",
        "memoria": "memory_bytes",
        "memoria so": "os_memory_bytes",
    },
    data=r"(?:Istruzione|Passo) DATA .*:\s*$",
    proc=r"PROCEDURA (?P<name>\S+) .*:\s*$",
    session=r"(?:Il )?Sistema SAS .*:\s*$",
    initialization=r"Inizializzazione (?:di )?SAS .*:\s*$",
    notes=("NOTE", "NOTA"),
    seconds=("secondi", "secondo"),
    page=("Il Sistema SAS", "Sistema SAS"),
)

JAPANESE = Language(
    "Japanese",
    {
        "処理時間": "real_time_s",
        "経過時間": "real_time_s",
        "ユーザー cpu 時間": "user_cpu_s",
        "システム cpu 時間": "system_cpu_s",
        "cpu 時間": "cpu_s",
        "メモリ": "memory_bytes",
        "os メモリ": "os_memory_bytes",
        "タイムスタンプ": "timestamp",
    },
    data=r"DATA\s*ステートメント.*[:：]\s*$",
    proc=r"(?:PROCEDURE|プロシジャ)\s*(?P<name>[A-Za-z0-9_]+)\s*処理.*[:：]\s*$",
    session=r"SAS\s*システム.*[:：]\s*$",
    initialization=r"SAS\s*(?:の)?初期化.*[:：]\s*$",
    seconds=("秒",),
    page=("SAS システム",),
    read=rf"データセット\s*{NAME}\s*から\s*(?P<n>\d+)\s*(?:オブザベーション|件)",
    written=rf"データセット\s*{NAME}\s*は\s*(?P<n>\d+)\s*オブザベーション、\s*(?P<v>\d+)\s*変数",
)

CHINESE = Language(
    "Chinese",
    {
        "实际时间": "real_time_s",
        "用户 cpu 时间": "user_cpu_s",
        "系统 cpu 时间": "system_cpu_s",
        "cpu 时间": "cpu_s",
        "内存": "memory_bytes",
        "os 内存": "os_memory_bytes",
        "时间戳": "timestamp",
    },
    data=r"[“\"]?DATA\s*语句[”\"]?\s*所用时间.*[:：]\s*$",
    proc=r"[“\"]?(?:PROCEDURE|过程)\s*(?P<name>[A-Za-z0-9_]+)[”\"]?\s*所用时间.*[:：]\s*$",
    session=r"[“\"]?SAS\s*系统[”\"]?\s*所用时间.*[:：]\s*$",
    initialization=r"[“\"]?SAS\s*初始化[”\"]?\s*所用时间.*[:：]\s*$",
    seconds=("秒",),
    page=("SAS 系统",),
    read=rf"从数据集\s*{NAME}\.?\s*读取了\s*(?P<n>\d+)\s*个观测"
    rf"|从以下数据集读取了\s*(?P<n2>\d+)\s*个观测\s*[:：]\s*{_NAME_2}",
    written=rf"数据集\s*{NAME}\s*有\s*(?P<n>\d+)\s*个观测和\s*(?P<v>\d+)\s*个变量",
)

KOREAN = Language(
    "Korean",
    {
        "실행 시간": "real_time_s",
        "실제 시간": "real_time_s",
        "사용자 cpu 시간": "user_cpu_s",
        "시스템 cpu 시간": "system_cpu_s",
        "cpu 시간": "cpu_s",
        "메모리": "memory_bytes",
    },
    data=r"DATA\s*문.*:\s*$",
    proc=r"(?:PROCEDURE|프로시저)\s*(?P<name>[A-Za-z0-9_]+).*:\s*$",
    session=r"SAS\s*시스템.*:\s*$",
    initialization=r"SAS\s*초기화.*:\s*$",
    seconds=("초",),
    page=("SAS 시스템",),
)

LANGUAGES: dict[str, Language] = {
    item.name: item
    for item in (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, JAPANESE, CHINESE, KOREAN)
}
"""What logs are read in; ``read_sas(languages=[Language(...)])`` adds to it for one call."""
