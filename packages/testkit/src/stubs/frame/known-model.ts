/** Which upstream models a stub has: any, so that a model file can be tried; but none whose id speaks of `no-such-model`. */
export function isKnownModel(id: string): boolean {
  return !id.includes("no-such-model")
}
