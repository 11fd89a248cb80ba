/**
 * A process that serves one large body and closes its server; then nothing may keep it from
 * ending. The test that starts it waits for that end.
 */
import { creation, createWorld, VALID } from "./worlds.ts"

const world = await createWorld("over a socket", { settings: { bodyThreadRestMs: 1_000_000 } })
const blanks = " ".repeat(2 * 1024 * 1024)
const { status } = await world.call("/v1/tasks", creation(blanks + JSON.stringify(VALID)))
process.stdout.write(`${status} `)
await world.close()
process.stdout.write("closed")
