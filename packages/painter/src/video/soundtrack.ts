/**
 * A calm piece of music made from a seed: pads over four chords, a plucked melody with an echo, and
 * a bass. It is a function of time, computed in blocks, so a long film needs no more memory than a
 * short one.
 */
import type { Random } from "../drawing/random.ts"

export const SAMPLE_RATE = 48_000

export interface SoundtrackOptions {
  readonly random: Random
  readonly durationS: number
  /** How long a chord lasts. */
  readonly barS: number
}

export interface Soundtrack {
  /** Interleaved stereo, −1 to 1; blocks must be asked for in order. */
  render(firstSample: number, samples: number): Float32Array
}

interface Note {
  readonly startS: number
  readonly endS: number
  readonly attackS: number
  /** How fast it dies away, per second; 0 for a held note. */
  readonly decay: number
  readonly frequency: number
  readonly loudness: number
  /** 0 left to 1 right. */
  readonly pan: number
  /** Loudness of the first three harmonics. */
  readonly harmonics: readonly [number, number, number]
}

/** Four chords that always close; degrees of a major or minor scale. */
type Degrees = readonly number[]
const PROGRESSIONS: readonly [Degrees, ...Degrees[]] = [
  [0, 5, 3, 4],
  [0, 3, 5, 4],
  [0, 2, 3, 4],
  [5, 3, 0, 4],
]
const SCALES: readonly [Degrees, ...Degrees[]] = [
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 8, 10],
]
const STEPS_PER_BAR = 8
const FADE_IN_S = 0.4
const FADE_OUT_S = 1.4

export function createSoundtrack(options: SoundtrackOptions): Soundtrack {
  const notes = composeNotes(options)
  const echo = createEcho((options.barS * 3) / STEPS_PER_BAR)
  return {
    render(firstSample, samples) {
      const block = new Float32Array(samples * 2)
      const [fromS, toS] = [firstSample / SAMPLE_RATE, (firstSample + samples) / SAMPLE_RATE]
      for (const note of notes) {
        if (note.startS < toS && note.endS > fromS) addNote(block, note, firstSample, samples)
      }
      echo(block)
      master(block, firstSample, options.durationS)
      return block
    },
  }
}

function composeNotes({ random, durationS, barS }: SoundtrackOptions): readonly Note[] {
  const scale = random.pick(SCALES)
  const progression = random.pick(PROGRESSIONS)
  const root = 48 + Math.floor(random.between(-4, 6))
  const pitch = (degree: number) =>
    toFrequency(root + scale[degree % 7]! + 12 * Math.floor(degree / 7))
  const notes: Note[] = []
  for (let bar = 0; bar * barS < durationS; bar++) {
    const chord = progression[bar % 4]!
    const startS = bar * barS
    notes.push(
      ...[0, 2, 4, 7].map((third, voice) => toPad(pitch(chord + third), startS, barS, voice)),
    )
    notes.push(toBass(pitch(chord) / 2, startS, barS))
    for (let step = 0; step < STEPS_PER_BAR; step++) {
      if (random.next() < 0.28) continue
      const degree = chord + random.pick([7, 9, 11, 14, 16])
      const pan = random.between(0.2, 0.8)
      notes.push(toPluck(pitch(degree), startS + (step * barS) / STEPS_PER_BAR, pan))
    }
  }
  return notes
}

function toPad(frequency: number, startS: number, barS: number, voice: number): Note {
  return {
    startS,
    endS: startS + barS * 1.3,
    attackS: barS * 0.3,
    decay: 0,
    frequency: frequency * (1 + 0.0015 * (voice - 1.5)),
    loudness: 0.075,
    pan: 0.15 + 0.7 * (voice / 3),
    harmonics: [1, 0.35, 0.12],
  }
}

function toBass(frequency: number, startS: number, barS: number): Note {
  const held = { endS: startS + barS, attackS: 0.08, decay: 0.5 }
  return { startS, ...held, frequency, loudness: 0.16, pan: 0.5, harmonics: [1, 0.3, 0.05] }
}

function toPluck(frequency: number, startS: number, pan: number): Note {
  const struck = { endS: startS + 2, attackS: 0.006, decay: 3.4 }
  return { startS, ...struck, frequency, loudness: 0.11, pan, harmonics: [1, 0.45, 0.2] }
}

function toFrequency(key: number): number {
  return 440 * 2 ** ((key - 69) / 12)
}

function addNote(block: Float32Array, note: Note, firstSample: number, samples: number): void {
  const from = Math.max(Math.ceil(note.startS * SAMPLE_RATE), firstSample)
  const until = Math.min(Math.floor(note.endS * SAMPLE_RATE), firstSample + samples)
  const releaseS = Math.min((note.endS - note.startS) * 0.25, 0.4)
  const [first, second, third] = note.harmonics
  for (let sample = from; sample < until; sample++) {
    const ageS = sample / SAMPLE_RATE - note.startS
    const leftS = note.endS - sample / SAMPLE_RATE
    const angle = 2 * Math.PI * note.frequency * ageS
    const sine = Math.sin(angle)
    const cosine = Math.cos(angle)
    // sin 2a and sin 3a by their identities
    const wave = sine * (first + second * 2 * cosine + third * (4 * cosine * cosine - 1))
    const swell = Math.min(ageS / note.attackS, leftS / releaseS, 1)
    const value =
      wave * swell * note.loudness * (note.decay === 0 ? 1 : Math.exp(-ageS * note.decay))
    const at = (sample - firstSample) * 2
    block[at]! += value * (1 - note.pan)
    block[at + 1]! += value * note.pan
  }
}

/** Repeats the sound, softer, from the other side. It keeps its memory between blocks. */
function createEcho(delayS: number): (block: Float32Array) => void {
  const memory = new Float32Array(Math.round(delayS * SAMPLE_RATE) * 2)
  let position = 0
  return (block) => {
    for (let at = 0; at < block.length; at += 2) {
      const [left, right] = [memory[position]!, memory[position + 1]!]
      block[at]! += right * 0.42
      block[at + 1]! += left * 0.42
      memory[position] = block[at]! * 0.9
      memory[position + 1] = block[at + 1]! * 0.9
      position = (position + 2) % memory.length
    }
  }
}

/** Fades at both ends, and a soft limit instead of clipping. */
function master(block: Float32Array, firstSample: number, durationS: number): void {
  for (let at = 0; at < block.length; at++) {
    const atS = (firstSample + (at >> 1)) / SAMPLE_RATE
    const fade = Math.min(atS / FADE_IN_S, Math.max(durationS - atS, 0) / FADE_OUT_S, 1)
    block[at] = Math.tanh(block[at]! * 1.5) * fade
  }
}
