/** Ports whose calls may be cut off, as by a process that is killed. */
import { SafelightError, type ArtifactStorage, type Storage } from "@safelight/core"

export type OnCall = (call: () => Promise<unknown>) => Promise<unknown>

/** Every call of the port goes through `onCall`. */
export function cutOff<Port extends Partial<ArtifactStorage & Storage>>(
  port: Port,
  onCall: OnCall,
): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== "function") return member
      return (...given: unknown[]) =>
        onCall(async () => (member as (...all: unknown[]) => unknown).apply(target, given))
    },
  })
}

/** As whoever calls a process finds it that is killed, once the call was made if it was. */
export async function fail(done: Promise<unknown> | undefined): Promise<never> {
  const made = await done
  if (typeof made === "object" && made !== null && "close" in made) {
    await (made as { close(): Promise<void> }).close()
  }
  throw new SafelightError({ code: "storage-unavailable", message: "the process was killed" })
}
