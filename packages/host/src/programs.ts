/** Programs of a package's own, for processes and threads: modules that are started, never imported. */

/** The program `name` beside the module whose `import.meta.url` is `from`, as source or as built. */
export function findProgram(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith(".ts") ? ".ts" : ".js"}`, from)
}
