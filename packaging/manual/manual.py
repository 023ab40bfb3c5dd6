#!/usr/bin/env python3
"""manual.py DESCRIPTION FOLDER: the manual pages lockstep.1, lockstep-run.1, ... from what `lockstep --describe` says. That of its
nvidia-smi is lockstep-nvidia-smi.1, so that it does not stand before NVIDIA's."""

import os
import re
import sys
import time

from description import Description


def plain(text):
    """Text of a page: `code` in bold, links as their text."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = text.replace("\\", r"\e").replace("-", r"\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return r"\&" + text if text[:1] in (".", "'") else text


def bold(text):
    return r"\fB" + text.replace("\\", r"\e").replace("-", r"\-") + r"\fR"


class Page:
    def __init__(self, name, about, version):
        self.lines = []
        self.name = name
        when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
        self.put(f'.TH {name.upper()} 1 "{time.strftime("%Y-%m-%d", when)}" "Lockstep {version}" "Lockstep"')
        self.section("NAME")
        self.put(f"{name} \\- {plain(about)}")

    def put(self, *lines):
        self.lines += lines

    def section(self, title):
        self.put(f".SH {plain(title)}")

    def item(self, head, text):
        self.put(".TP", head, plain(text))

    def write(self, folder):
        with open(os.path.join(folder, self.name + ".1"), "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")


def spelled(option):
    """All its names, with the value behind the last."""
    heads = []
    for name in option.names:
        value = ""
        if option.value:
            joint = "=" if name.startswith("--") else " "
            value = joint + option.value
            value = f"[{value}]" if option.optional else value
            value = r"\fI" + plain(value) + r"\fR"
        heads.append(bold(name) + value)
    return ", ".join(heads)


def put_options(page, table):
    section = None
    for option in table.options:
        if option.section != section:
            section = option.section
            page.put(f".SS {plain(section.rstrip(':'))}" if section else ".SS Other")
        page.item(spelled(option), option.help)


def put_synopsis(page, command, before="lockstep "):
    page.section("SYNOPSIS")
    first = True
    for table in command.tables:
        for words in table.words:
            if not first:
                page.put(".br")
            first = False
            head = bold(before + table.name)
            page.put(f"{head} {plain(words if '[OPTION...]' in words else '[OPTION...] ' + words)}".rstrip())


def command_page(description, command, folder):
    page = Page("lockstep-" + command.name, command.about, description.version)
    put_synopsis(page, command)
    page.section("DESCRIPTION")
    for table in command.tables:
        if command.verbs:
            page.item(bold("lockstep " + table.name), table.about)
        else:
            page.put(plain(table.about))
        if table.end:
            page.put(".PP", plain(table.end.strip()))
    for table in command.tables:
        page.section("OPTIONS OF " + table.name.upper() if command.verbs else "OPTIONS")
        put_options(page, table)
    page.section("SEE ALSO")
    page.put(".BR lockstep (1)")
    page.write(folder)


def page_of_program(program):
    return program.name if program.name.startswith("lockstep") else "lockstep-" + program.name


def program_page(description, program, folder):
    """Of a program that stands in for one of NVIDIA's."""
    page = Page(page_of_program(program), program.about, description.version)
    table, = program.tables
    put_synopsis(page, program, "")
    page.section("DESCRIPTION")
    page.put(plain(table.about))
    if table.end:
        page.put(".PP", plain(table.end.strip()))
    page.section("OPTIONS")
    put_options(page, table)
    page.section("SEE ALSO")
    page.put(".BR lockstep (1)")
    page.write(folder)


def main_page(description, folder):
    page = Page("lockstep", "run, check and profile CUDA programs without a GPU", description.version)
    page.section("SYNOPSIS")
    page.put(f"{bold('lockstep')} \\fICOMMAND\\fR [\\fIOPTION\\fR...]", ".br", bold("lockstep --version"))
    page.section("DESCRIPTION")
    page.put("Lockstep runs CUDA kernels on the CPU, warp by warp, finds what is wrong with them, and counts what a GPU's "
             "profiler counts. Each command has a page of its own.")
    page.section("COMMANDS")
    for command in description.commands:
        page.item(f"\\fBlockstep\\-{command.name}\\fR(1)", command.about)
    page.section("ENVIRONMENT")
    for setting in description.settings:
        page.item(bold(setting["name"]), setting["meaning"])
    page.section("SEE ALSO")
    names = [f".BR lockstep\\-{c.name} (1)" for c in description.commands]
    names += [f".BR {plain(page_of_program(p))} (1)" for p in description.programs]
    page.put(*[name + "," for name in names[:-1]], names[-1])
    page.write(folder)


def main():
    description = Description(sys.argv[1])
    folder = sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    main_page(description, folder)
    for command in description.commands:
        command_page(description, command, folder)
    for program in description.programs:
        program_page(description, program, folder)


main()
