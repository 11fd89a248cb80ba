/**
 * An operator's own file, JavaScript or TypeScript, imported without a build. It runs with all rights of the
 * service, so whoever can write it or the configuration is the operator. If the file's folder has no packages,
 * the project's own and valibot are found here.
 */
import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"
import { SafelightError } from "@safelight/core"

/** The packages that an operator's files may import. */
const PACKAGES: ReadonlySet<string> = new Set([
  "@safelight/channel-http",
  "@safelight/core",
  "safelight",
  "valibot",
])

/** The default export. Rejects with `invalid-configuration`, naming the field, the file and the fault. */
export async function importDefault(field: string, path: string): Promise<unknown> {
  const { href } = pathToFileURL(path)
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context)
      } catch (error) {
        if (!PACKAGES.has(specifier)) throw error
        return nextResolve(specifier, { ...context, parentURL: import.meta.url })
      }
    },
  })
  try {
    return ((await import(href)) as { readonly default?: unknown }).default
  } catch (error) {
    throw invalidModule(field, path, `can't be loaded: ${toFirstLine(error)}`, error)
  } finally {
    hooks.deregister()
  }
}

export function invalidModule(
  field: string,
  path: string,
  why: string,
  cause?: unknown,
): SafelightError {
  const message = `${field}: module ${path} ${why}`
  return new SafelightError({ code: "invalid-configuration", message, cause })
}

export function toFirstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0] ?? ""
}
