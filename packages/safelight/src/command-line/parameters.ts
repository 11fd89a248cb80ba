/**
 * Arguments and options as a command describes them. The name comes from the place in the description: an option
 * `expiresIn` is typed `--expires-in`. Each carries the type of its value, so that `run` gets typed values.
 */
import { Argument, Option } from "commander"

/** Throws commander's error, which becomes one line. An option that is repeated gets the value so far. */
export type Parse<Value> = (text: string, before: Value | undefined) => Value

export interface DefinedArgument<Value> {
  readonly toArgument: (name: string) => Argument
  /** The type of the value; never set. */
  readonly of?: Value
}

export interface DefinedOption<Value> {
  readonly toOption: (name: string) => Option
  /** The type of the value; never set. */
  readonly of?: Value
}

interface Conflict {
  /** The name of an option that can't be given together with this one. */
  readonly conflictsWith?: string
}

export function argument(description: string): DefinedArgument<string>
export function argument<Value>(description: string, parse: Parse<Value>): DefinedArgument<Value>
export function argument<Value>(description: string, parse?: Parse<Value>): DefinedArgument<Value> {
  return { toArgument: (name) => toArgument(`<${name}>`, description, parse) }
}

export function optionalArgument(
  description: string,
  parse?: Parse<string>,
): DefinedArgument<string | undefined> {
  return { toArgument: (name) => toArgument(`[${name}]`, description, parse) }
}

/** One or more words. */
export function argumentList(description: string): DefinedArgument<readonly string[]> {
  return { toArgument: (name) => toArgument(`<${name}...>`, description, undefined) }
}

export function flag(description: string, more: Conflict = {}): DefinedOption<true | undefined> {
  return { toOption: (name) => toOption(`--${toFlag(name)}`, { description, ...more }) }
}

export function option(value: string, description: string): DefinedOption<string | undefined>
export function option<Value>(
  value: string,
  description: string,
  parse: Parse<Value>,
  more?: Conflict,
): DefinedOption<Value | undefined>
export function option<Value>(
  value: string,
  description: string,
  parse?: Parse<Value>,
  more: Conflict = {},
): DefinedOption<Value | undefined> {
  return {
    toOption: (name) => toOption(`--${toFlag(name)} ${value}`, { description, parse, ...more }),
  }
}

/** The command is refused without it. */
export function requiredOption(value: string, description: string): DefinedOption<string>
export function requiredOption<Value>(
  value: string,
  description: string,
  parse: Parse<Value>,
): DefinedOption<Value>
export function requiredOption<Value>(
  value: string,
  description: string,
  parse?: Parse<Value>,
): DefinedOption<Value> {
  return {
    toOption: (name) =>
      toOption(`--${toFlag(name)} ${value}`, { description, parse }).makeOptionMandatory(),
  }
}

export function optionWithDefault<Value>(
  value: string,
  description: string,
  byDefault: Value,
  parse?: Parse<Value>,
): DefinedOption<Value> {
  return {
    toOption: (name) =>
      toOption(`--${toFlag(name)} ${value}`, { description, parse }).default(byDefault),
  }
}

function toFlag(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function toArgument<Value>(
  name: string,
  description: string,
  parse: Parse<Value> | undefined,
): Argument {
  const made = new Argument(name, description)
  return parse === undefined ? made : made.argParser<Value>(parse)
}

function toOption<Value>(
  flags: string,
  given: Conflict & {
    readonly description: string
    readonly parse?: Parse<Value> | undefined
  },
): Option {
  const made = new Option(flags, given.description)
  if (given.parse !== undefined) made.argParser<Value>(given.parse)
  return given.conflictsWith === undefined ? made : made.conflicts(given.conflictsWith)
}
