/**
 * `other_account_film_slowdown`: how much longer another account's edit of a film takes while one account has
 * `LOOPING_FILMS` films that are read for ever waiting to be measured, all the time; beside it
 * `other_account_picture_beside_films_slowdown`, the same of a picture, which no one measures.
 */
import { setTimeout } from "node:timers/promises"
import { LOOPING_WEBM } from "../adapters/channel-studio/hostile-media.ts"
import { createTasks, PICTURE, VIDEO, type HostileServer, type Tasks } from "./hostile-tasks.ts"
import { median } from "./measure.ts"

const LOOPING_FILMS = 15
const ROUNDS = 3
/** Until every looping film of the first round has been posted and the first are being read. */
const AHEAD_MS = 3_000
/** After a refusal: the rate of new tasks allows two a second. */
const REFUSED_MS = 500

export async function measureFilms({
  announcement: { url, hostile, other },
}: HostileServer): Promise<Record<string, number>> {
  const tasks = createTasks(url, other)
  const film = await makeFilm(url, other, tasks)
  const edit = { prompt: "fog", video_urls: [film], duration: 4 }
  await tasks.time(VIDEO, edit)
  const alone = await measure(tasks, edit)
  const over = new AbortController()
  const attacker = createTasks(url, hostile)
  const attacking = Array.from({ length: LOOPING_FILMS }, () => loop(attacker, over.signal))
  await setTimeout(AHEAD_MS)
  const beside = await measure(tasks, edit)
  over.abort()
  await Promise.all(attacking)
  return {
    other_account_film_slowdown: beside.film / alone.film,
    other_account_picture_beside_films_slowdown: beside.picture / alone.picture,
    other_account_film_ms_alone: alone.film,
    other_account_film_ms_beside_films: beside.film,
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

/** Medians, ms. */
async function measure(tasks: Tasks, edit: object): Promise<Times> {
  const films: number[] = []
  const pictures: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    films.push(await tasks.time(VIDEO, edit))
    pictures.push(await tasks.time(PICTURE, { prompt: "a lighthouse in the fog" }))
  }
  return { film: median(films), picture: median(pictures) }
}

/** Posts a looping film as soon as the one before has ended, until `signal` aborts. */
async function loop(tasks: Tasks, signal: AbortSignal): Promise<void> {
  const film = `data:video/webm;base64,${LOOPING_WEBM.toString("base64")}`
  while (!signal.aborted) {
    const id = await tasks.post(VIDEO, { video_urls: [film], duration: 4 })
    if (id === undefined) await setTimeout(REFUSED_MS)
    else await finishUntil(tasks, id, signal)
  }
}

async function finishUntil(tasks: Tasks, id: string, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
  await Promise.race([tasks.finish(id), aborted])
}
