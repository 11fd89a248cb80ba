/** What is wrong with a model's file, and where: a JSON pointer (RFC 6901) and words that follow it. */

export interface ModelFault {
  /** `/parameters/properties/prompt`; "" is the whole file. */
  readonly pointer: string
  readonly reason: string
}

export type Report = (pointer: string, reason: string) => void

/** Of one model no more are told. */
const MOST_FAULTS = 50

export function collectFaults(): { readonly faults: readonly ModelFault[]; report: Report } {
  const faults: ModelFault[] = []
  return {
    faults,
    report(pointer, reason) {
      if (faults.length < MOST_FAULTS) faults.push({ pointer, reason })
    },
  }
}

/** In one line. */
export function toFaultWords(faults: readonly ModelFault[]): string {
  const words = faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trimStart())
  return words.join("; ")
}

/** The pointer of a member. */
export function join(pointer: string, ...names: readonly (number | string)[]): string {
  const parts = names.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`)
  return `${pointer}${parts.join("")}`
}

/** The names of a pointer; undefined if it is none. */
export function split(pointer: string): readonly string[] | undefined {
  if (!/^(?:\/(?:[^/~]|~[01])*)*$/.test(pointer)) return undefined
  const parts = pointer.split("/").slice(1)
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
