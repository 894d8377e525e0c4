/** Events in the order of their times. */
export class EventHeap {
  #events = [];

  push(time, value) {
    const events = this.#events;
    let at = events.length;
    for (; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (events[parent].time <= time) break;
      events[at] = events[parent];
      at = parent;
    }
    events[at] = { time, value };
  }

  /** Takes the first event. */
  pop() {
    const events = this.#events;
    const [first, last] = [events[0], events.pop()];
    if (events.length === 0) return first;
    let at = 0;
    for (let child = 1; child < events.length; child = 2 * at + 1) {
      if (child + 1 < events.length && events[child + 1].time < events[child].time) child += 1;
      if (last.time <= events[child].time) break;
      events[at] = events[child];
      at = child;
    }
    events[at] = last;
    return first;
  }
}
