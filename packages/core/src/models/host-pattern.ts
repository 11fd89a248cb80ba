/** Names of hosts as `MediaRequest.hosts` lists them. */

/** Whether `host` has the name; in `*.media.example` the star stands for one label or more, never for none. */
export function isHostWithin(host: string, name: string): boolean {
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name
}
