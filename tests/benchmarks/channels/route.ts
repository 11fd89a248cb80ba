/** `route_us`: one choice among so many channels, with each asked whether it takes the request, and why. */
import { chooseChannel, explainChoice, type Candidate } from "@safelight/engine"
import { report } from "../measure.ts"
import { readSizes } from "./sizes.ts"

const { channels, choices } = readSizes({
  channels: { full: 50, quick: 50 },
  choices: { full: 200_000, quick: 5_000 },
})

const OBSTACLES: readonly Partial<Candidate>[] = [
  {},
  { freePermits: 0 },
  { breaker: "open" },
  { ineligible: "resolution 1080p is not offered" },
  { isPaused: true },
  {},
]
const names = Array.from({ length: channels }, (_, index) => `channel-${index}`)
const turns = new Map<string, number>()
const times = new Map<number, number>()
let characters = 0

function route(): void {
  const candidates = names.map((name, index): Candidate => ({
    name,
    tier: 1 + (index % 2),
    weight: 1 + (index % 5),
    startTag: turns.get(name) ?? 0,
    ineligible: undefined,
    isPaused: false,
    isBusy: false,
    breaker: "closed",
    freePermits: 8,
    freeRequests: Infinity,
    ...OBSTACLES[index % OBSTACLES.length],
  }))
  const choice = chooseChannel(candidates, times)
  if (choice === undefined) throw new Error("nobody was able")
  characters += explainChoice(candidates, choice).length
  turns.set(choice.candidate.name, choice.nextTag)
  times.set(choice.candidate.tier, choice.time)
}

for (let index = 0; index < choices / 10; index += 1) route()
const startedAt = performance.now()
for (let index = 0; index < choices; index += 1) route()
const elapsedMs = performance.now() - startedAt
if (characters === 0) throw new Error("nothing was explained")
report({ route_us: (elapsedMs * 1_000) / choices })
