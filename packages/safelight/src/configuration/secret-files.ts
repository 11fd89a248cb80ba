/**
 * Secrets by file: whatever reads a variable NAME may be given NAME_FILE, the path of a file that holds its value, or
 * a credential of systemd called NAME. It is done where a variable is read, and not for a list of names, so it holds
 * for the key of any channel, of an operator's own module too. A file is read once, when it is first asked for.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { join, resolve } from "node:path"
import { configurationError } from "./configuration-fault.ts"
import { isPlainSetting } from "./known-variables.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** The longest key in use has some kilobytes: a JSON Web Token, a chain of certificates. */
const MOST_BYTES = 65_536

const made = new WeakSet<Environment>()

/**
 * The same variables, with those of files. Reading one throws `invalid-configuration`, naming the variable and the
 * path, if its file can't be used, or if both ways are given. `folder` is where relative paths start.
 */
export function withSecretFiles(environment: Environment, folder: string): Environment {
  if (made.has(environment)) return environment
  const values = new Map<string, string | undefined>()

  function read(name: string): string | undefined {
    if (!values.has(name)) values.set(name, readSecret(environment, name, folder))
    return values.get(name)
  }

  const withFiles = new Proxy(environment, {
    get: (target, name) =>
      typeof name === "string" && mayBeSecret(name) ? read(name) : Reflect.get(target, name),
  })
  made.add(withFiles)
  return withFiles
}

/** Under which name a person has given the variable: its own, NAME_FILE, or `credential NAME`. */
export function toSourceName(environment: Environment, name: string): string {
  // Reading a value could read a file.
  const isGiven = (each: string): boolean =>
    Boolean(Object.getOwnPropertyDescriptor(environment, each)?.value)
  if (isGiven(`${name}_FILE`)) return `${name}_FILE`
  return isGiven(name) || !isGiven("CREDENTIALS_DIRECTORY") ? name : `credential ${name}`
}

/** A name of a variable, which is the name of a file too, and none of the settings that hold no secret. */
function mayBeSecret(name: string): boolean {
  return /^[A-Z_][A-Z0-9_]*$/i.test(name) && !isPlainSetting(name)
}

function readSecret(environment: Environment, name: string, folder: string): string | undefined {
  const value = environment[name]
  const variable = `${name}_FILE`
  // An empty variable counts as unset.
  const path = environment[variable] || undefined
  if (path !== undefined) {
    if (value) throw configurationError(`${name} and ${variable} are both set: leave out one`)
    const text = readText(variable, resolve(folder, path))
    if (text !== undefined) return text
    throw configurationError(`${variable}: ${resolve(folder, path)}: there is no such file`)
  }
  const credentials = environment["CREDENTIALS_DIRECTORY"]
  if (value || !credentials) return value
  return readText(`credential ${name}`, join(credentials, name)) ?? value
}

/** The file without its last line break; undefined if it does not exist. No error holds any of its content. */
function readText(source: string, path: string): string | undefined {
  const bytes = readBytes(source, path)
  if (bytes === undefined) return undefined
  const wrong = (what: string): Error => configurationError(`${source}: ${path} ${what}`)
  if (bytes.byteLength > MOST_BYTES) throw wrong(`is larger than ${MOST_BYTES} bytes`)
  const text = toText(bytes)?.replace(/\r?\n$/, "")
  if (text === undefined) throw wrong("is no text of UTF-8")
  if (text === "") throw wrong("is empty")
  return text
}

function readBytes(source: string, path: string): Buffer | undefined {
  let file: number | undefined
  try {
    // Without waiting for a writer, should it be a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? "is a folder" : "is no file"
      throw configurationError(`${source}: ${path} ${what}`)
    }
    const bytes = Buffer.alloc(MOST_BYTES + 1)
    return bytes.subarray(0, readSync(file, bytes))
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    if (code === "ENOENT") return undefined
    throw configurationError(`${source}: ${path} can't be read (${code})`, error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
