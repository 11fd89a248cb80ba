/**
 * `other_account_film_slowdown`: how much longer another account's edit of a film takes while one account has
 * `LOOPING_FILMS` films that are read for ever waiting to be measured, all the time; beside it
 * `other_account_picture_beside_films_slowdown`, the same of a picture, which no one measures. Both are
 * measured in turns, without and with the looping films, so that what else the machine does is in both; the
 * figures are the medians of the rounds' quotients.
 */
import { setTimeout } from "node:timers/promises"
import { LOOPING_WEBM } from "../adapters/channel-studio/hostile-media.ts"
import { createTasks, PICTURE, VIDEO, type HostileServer, type Tasks } from "./hostile-tasks.ts"
import { median } from "./measure.ts"

const LOOPING_FILMS = 15
/** Few: after each, the looping films that are left have to end. */
const ROUNDS = 2
/** Until every looping film of the first round has been posted and the first are being read. */
const AHEAD_MS = 3_000
/** After a refusal: the rate of new tasks allows two a second. */
const REFUSED_MS = 500

export async function measureFilms({
  announcement: { url, hostile, other },
}: HostileServer): Promise<Record<string, number>> {
  const tasks = createTasks(url, other)
  const source = await makeFilm(url, other, tasks)
  const edit = { prompt: "fog", video_urls: [source], duration: 4 }
  await measure(tasks, edit)
  const attacker = createTasks(url, hostile)
  const alone: Times[] = []
  const beside: Times[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await measure(tasks, edit))
    const over = new AbortController()
    const attacking = Array.from({ length: LOOPING_FILMS }, () => loop(attacker, over.signal))
    await setTimeout(AHEAD_MS)
    beside.push(await measure(tasks, edit))
    over.abort()
    await Promise.all(attacking)
  }
  function slowdown(kind: keyof Times): number {
    return median(beside.map((times, round) => times[kind] / (alone[round]?.[kind] ?? 0)))
  }
  return {
    other_account_film_slowdown: slowdown("film"),
    other_account_picture_beside_films_slowdown: slowdown("picture"),
    other_account_film_ms_alone: median(alone.map(({ film }) => film)),
    other_account_film_ms_beside_films: median(beside.map(({ film }) => film)),
  }
}

/** A film of the studio's own as a data URL, so that it is one that is read to its end. */
async function makeFilm(url: string, key: string, tasks: Tasks): Promise<string> {
  const id = await tasks.post(VIDEO, { prompt: "rain on a window", duration: 4 })
  if (id === undefined || (await tasks.finish(id)) === "failed") throw new Error("no film was made")
  const path = `/v1/tasks/${id}/artifacts/video/content`
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok) throw new Error(`the film was answered ${response.status}`)
  return `data:video/mp4;base64,${Buffer.from(await response.bytes()).toString("base64")}`
}

interface Times {
  readonly film: number
  readonly picture: number
}

/** How long each took, ms. */
async function measure(tasks: Tasks, edit: object): Promise<Times> {
  const film = await tasks.time(VIDEO, edit)
  return { film, picture: await tasks.time(PICTURE, { prompt: "a lighthouse in the fog" }) }
}

/** Posts a looping film as soon as the one before has ended, until `signal` aborts; resolves after the last. */
async function loop(tasks: Tasks, signal: AbortSignal): Promise<void> {
  const film = `data:video/webm;base64,${LOOPING_WEBM.toString("base64")}`
  while (!signal.aborted) {
    const id = await tasks.post(VIDEO, { video_urls: [film], duration: 4 })
    if (id === undefined) await setTimeout(REFUSED_MS)
    else await tasks.finish(id)
  }
}
