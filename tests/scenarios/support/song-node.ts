/** A node that makes a song and kills itself (SIGKILL) the n-th time it passes a named point. Arguments: folder, point, n. */
import { SONG_REQUEST, startSongNode } from "./song.ts"

const [folder = "", point = "", nth = "1"] = process.argv.slice(2)
let passes = 0

const { engine } = await startSongNode(folder, (passed) => {
  if (passed === point) passes += 1
  if (passed === point && passes === Number(nth)) process.kill(process.pid, "SIGKILL")
})
const result = await engine.submit(SONG_REQUEST)
if (result.kind === "rejected") throw new Error(result.rejection.code)
await engine.finished(result.task.id)
