/** Cores that serve in the order in which they are asked. */
export class Station {
  used = 0;
  #free;

  constructor(cores) {
    this.#free = new Array(cores).fill(0);
  }

  /** Returns when something that is asked for now is done. */
  serve(now, seconds, isCounted) {
    let first = 0;
    for (let n = 1; n < this.#free.length; n += 1) if (this.#free[n] < this.#free[first]) first = n;
    const end = Math.max(now, this.#free[first]) + seconds;
    this.#free[first] = end;
    if (isCounted) this.used += seconds;
    return end;
  }
}

/** A disk that makes all commits durable at once that wait for it. */
export class Disk {
  #begin = 0;
  #end = 0;

  constructor(seconds) {
    this.seconds = seconds;
  }

  flush(now) {
    if (now >= this.#begin) {
      this.#begin = Math.max(now, this.#end);
      this.#end = this.#begin + this.seconds;
    }
    return this.#end;
  }
}
