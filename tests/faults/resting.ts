/** Tasks in doubt of which nothing more may be tried: they rest until their end (design §5). */
import { REQUEST_INPUT, type Storage, type Task } from "@safelight/core"

/** Of an unkeyed channel; and of a keyed one, which can't be asked, where what would be sent again is erased. */
export async function isResting(
  storage: Pick<Storage, "readInput">,
  { dispatch, id, state }: Task,
): Promise<boolean> {
  if (state !== "doubtful") return false
  if (dispatch?.channel === "upstream-unkeyed") return true
  const input = await storage.readInput({ task: id, name: REQUEST_INPUT })
  return dispatch?.channel === "upstream-keyed" && input === undefined
}
