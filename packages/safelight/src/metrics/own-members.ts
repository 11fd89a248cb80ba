/**
 * The members of a port as a plain object, so that some of them can be replaced. A host's port may be an instance
 * of a class: its methods are on the prototype and must be called on the instance.
 */

type Method = (...values: readonly unknown[]) => unknown

export function toOwnMembers<Port extends object>(port: Port): Port {
  return Object.fromEntries(listMembers(port)) as Port
}

/** By name. The port's own members stay as they are; methods of its class are bound to it. */
export function listMembers(port: object): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>(Object.entries(port))
  let level: unknown = Object.getPrototypeOf(port)
  while (typeof level === "object" && level !== null && level !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(level)) {
      if (name === "constructor" || members.has(name)) continue
      const member: unknown = Reflect.get(port, name)
      const isMethod = typeof member === "function"
      members.set(name, isMethod ? (member as Method).bind(port) : member)
    }
    level = Object.getPrototypeOf(level)
  }
  return members
}
