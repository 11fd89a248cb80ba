/**
 * The names that tests/core/parameters.test.ts makes for the values of one parameter, so that rows
 * can say which of them they mean.
 */
export const DEFAULTS = "the defaults > are those of the specification"

/** Names of tests in one suite. */
export function within(suite: string, ...names: readonly string[]): readonly string[] {
  return names.map((name) => `${suite} > ${name}`)
}

export function accepts(param: string, ...choices: readonly string[]): readonly string[] {
  return choices.map((choice) => `accepts ${param} ${choice}`)
}

/** Both sides of both bounds, and what is no integer. */
export function bounded(param: string, lowest: number, highest: number): readonly string[] {
  return [
    ...accepts(param, `${lowest}`, `${highest}`),
    `refuses ${param} ${lowest - 1}`,
    `refuses ${param} ${highest + 1}`,
    `refuses ${param} with a fraction`,
  ]
}
