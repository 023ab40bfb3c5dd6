"""What `lockstep --describe` says, for manual.py and completions.py."""

import json
import re


class Option:
    def __init__(self, row, gpus):
        self.names = row["names"]
        self.value = row.get("value")
        self.optional = row.get("optional", False)
        self.help = row.get("help", "")
        self.section = row.get("section")
        self.choices = row.get("choices", [])
        if not self.choices and self.value and re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", self.value):
            self.choices = self.value.split("|")
        if "--gpu" in self.names:
            self.choices = gpus
        self.takes_file = bool(self.value) and re.match(r"FILE|PROGRAM", self.value) is not None
        self.takes_folder = bool(self.value) and re.match(r"DIR|FOLDER", self.value) is not None


class Table:
    """The options of a command, or of one verb of it: name is "run" or "gate record"; of another program its name."""

    def __init__(self, row, gpus):
        self.name = row["name"].removeprefix("lockstep ")
        self.words = row.get("words", "").split("\n")
        self.about, _, self.end = row.get("about", "").partition("\v")
        self.options = [Option(o, gpus) for o in row["options"]]
        self.starts_program = any("PROGRAM" in words for words in self.words)
        self.key = re.sub(r"\W", "_", self.name)


class Command:
    def __init__(self, row, gpus):
        self.name = row["name"]
        self.about = row["about"]
        self.tables = [Table(t, gpus) for t in row["tables"]]
        self.verbs = [t.name.split(" ")[1] for t in self.tables if " " in t.name]


class Description:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
        self.version = said["version"]
        self.settings = said["settings"]
        self.commands = [Command(c, said["gpus"]) for c in said["commands"]]
        self.programs = [Command(c, said["gpus"]) for c in said["programs"]]

    @property
    def tables(self):
        return [t for c in self.commands for t in c.tables]
