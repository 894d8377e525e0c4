// Documents about an invented country, with questions. A seed draws them, so that anybody may use and repeat them. Each fact
// stands in one sentence of one document. Questions use other words than the documents where people would.
import { generator } from "../hostile/generator.mjs";

const kinds = {
  town: {
    title: (name) => name,
    facts: {
      founded: {
        value: (r) => 1100 + r.whole(750),
        says: (n, v) => `${n} was founded in ${v}.`,
        asks: (n) => `When was ${n} established?`,
      },
      river: {
        value: (r) => r.name(),
        says: (_, v) => `The town lies on the river ${v}.`,
        asks: (n) => `On which river does ${n} lie?`,
      },
      people: {
        value: (r) => 2_000 + r.whole(90_000),
        says: (n, v) => `About ${v} people live in ${n}.`,
        asks: (n) => `How many inhabitants does ${n} have?`,
      },
      known: {
        value: (r) => r.pick(goods),
        says: (n, v) => `${n} is known for its ${v}.`,
        asks: (n) => `What is ${n} famous for?`,
      },
    },
  },
  person: {
    title: (name) => `Life of ${name}`,
    facts: {
      born: {
        value: (r) => 1700 + r.whole(280),
        says: (n, v) => `${n} was born in ${v}.`,
        asks: (n) => `What is the year of birth of ${n}?`,
      },
      birthplace: {
        value: (r) => r.name(),
        says: (_, v) => `The family came from the village of ${v}.`,
        asks: (n) => `From which village did the family of ${n} come?`,
      },
      work: {
        value: (r) => r.pick(professions),
        says: (n, v) => `${n} worked as a ${v} for most of a long life.`,
        asks: (n) => `What was the profession of ${n}?`,
      },
      prize: {
        value: (r) => `${r.name()} Medal`,
        says: (n, v) => `For this work ${n} was given the ${v}.`,
        asks: (n) => `Which award did ${n} receive?`,
      },
    },
  },
  company: {
    title: (name) => `${name} Works`,
    facts: {
      founder: {
        value: (r) => `${r.name()} ${r.name()}`,
        says: (n, v) => `The company ${n} Works was started by ${v}.`,
        asks: (n) => `Who founded ${n} Works?`,
      },
      product: {
        value: (r) => r.pick(products),
        says: (n, v) => `${n} Works makes ${v}.`,
        asks: (n) => `What does ${n} Works produce?`,
      },
      seat: {
        value: (r) => r.name(),
        says: (n, v) => `The head office of ${n} Works stands in ${v}.`,
        asks: (n) => `Where are the headquarters of ${n} Works?`,
      },
      staff: {
        value: (r) => 20 + r.whole(5_000),
        says: (n, v) => `${n} Works employs ${v} people.`,
        asks: (n) => `How many workers has ${n} Works?`,
      },
    },
  },
};

const goods = [
  "salted cheese",
  "blue glass",
  "bell towers",
  "paper lanterns",
  "apple wine",
  "wooden toys",
  "stone bridges",
  "night markets",
];
const professions = [
  "surveyor",
  "weaver",
  "botanist",
  "clockmaker",
  "ferry captain",
  "map printer",
  "teacher",
  "organ builder",
];
const products = [
  "steam pumps",
  "violin strings",
  "tin roofs",
  "bicycle chains",
  "river barges",
  "window glass",
  "ploughs",
  "kettles",
];

const remarks = [
  "Visitors come in the warm months, and most of them stay for a day.",
  "Several books have been written about it, few of which agree.",
  "The archives of that time were lost in a fire.",
  "A small museum keeps letters and drawings.",
  "The weather there is mild, with fog in the mornings.",
  "Old people still tell stories about it.",
];

/** What no document tells, for each kind. */
const untold = {
  town: [(n) => `Who is the mayor of ${n}?`, (n) => `How high is the church of ${n}?`],
  person: [(n) => `Whom did ${n} marry?`, (n) => `When did ${n} die?`],
  company: [(n) => `What was the profit of ${n} Works last year?`, (n) => `Which bank does ${n} Works use?`],
};

/**
 * Draws documents and questions.
 *
 * @returns `documents`: their paths, texts and titles. `questions`: each with its gold `answer` and the `path` and `sentence`
 *   that have it, or without these if nothing answers it. `followUp` is the question as one asks after another about the same.
 */
export function drawCorpus({ documents: count = 330, questions: asked = 200, unanswered = 50, seed = 15 } = {}) {
  const r = withNames(generator(seed));
  const things = Array.from({ length: count }, (_, n) => drawThing(r, Object.keys(kinds)[n % 3], n));
  const facts = r
    .shuffled(things.flatMap((thing) => thing.facts))
    .slice(0, asked)
    .map((fact, n) => (n % 4 === 3 ? misspelt(r, fact) : fact));
  const missing = Array.from({ length: unanswered }, (_, n) => {
    const thing = r.pick(things);
    // Every third question is about something that is in no document at all.
    const name = n % 3 === 0 ? drawName(r, thing.kind) : thing.name;
    return { question: r.pick(untold[thing.kind])(name), name, kind: thing.kind };
  });
  return {
    documents: things.map(({ path, text, title }) => ({ path, text, title })),
    questions: [...facts, ...missing],
  };
}

const before = ["Upper", "Lower", "New", "Old", "East", "West"];

/** Things share the parts of their names, as in life. */
function drawName(r, kind) {
  const parts = { town: [before, r.families], person: [r.givenNames, r.families], company: [r.families, r.families] };
  return r.unused(() => parts[kind].map((list) => r.pick(list)).join(" "));
}

function drawThing(r, kind, n) {
  const name = drawName(r, kind);
  const { title, facts: makers } = kinds[kind];
  const path = `${kind}-${n}.md`;
  const facts = Object.entries(makers).map(([fact, { value, says, asks }]) => {
    const answer = String(value(r));
    return { question: asks(name), answer, sentence: says(name, answer), path, name, kind, fact };
  });
  const sentences = facts.map(({ sentence }) => `${sentence} ${r.pick(remarks)}`);
  const text = `# ${title(name)}\n\n${sentences.slice(0, 2).join(" ")}\n\n## More\n\n${sentences.slice(2).join(" ")}\n`;
  return { name, kind, path, title: title(name), text, facts };
}

/** Every fourth question has a slip in a name: a letter is missing. */
function misspelt(r, { question, name, ...fact }) {
  const place = 1 + r.whole(name.indexOf(" ") - 2);
  const slip = name.slice(0, place) + name.slice(place + 1);
  return { ...fact, name: slip, question: question.replace(name, slip) };
}

function withNames(random) {
  const used = new Set();
  const part = () => `${random.pick([..."bdfgklmnprstv"])}${random.pick([..."aeiou"])}${random.pick([..."lmnrst"])}`;
  const unused = (draw) => {
    const drawn = draw();
    if (used.has(drawn)) return unused(draw);
    used.add(drawn);
    return drawn;
  };
  const newName = () => unused(() => part().replace(/./, (letter) => letter.toUpperCase()) + part());
  const families = Array.from({ length: 60 }, newName);
  const givenNames = Array.from({ length: 30 }, newName);
  const name = () => random.pick(families);
  const shuffled = (list) =>
    list
      .map((item) => [random.number(), item])
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  return { ...random, name, unused, families, givenNames, shuffled };
}

const anyName = "([A-Z]\\w+(?: [A-Z]\\w+)?)";
const escaped = (text) => text.replaceAll(/[.?()]/g, "\\$&");
const patterns = Object.entries(kinds).flatMap(([kind, { facts }]) =>
  Object.entries(facts).map(([fact, { asks, says }]) => {
    const question = new RegExp(`^${escaped(asks("NAME")).replace("NAME", anyName)}$`);
    return { kind, fact, question, says };
  }),
);

/** Reads a question of the corpus: the fact that it asks for, and the name of the thing. */
export function questionAsked(question) {
  for (const pattern of patterns) {
    const name = pattern.question.exec(question.trim())?.[1];
    if (name !== undefined) return { ...pattern, name };
  }
  return undefined;
}

/** Finds the fact in a text about the thing. The name may have a slip. */
export function valueIn(text, { says, name: asked }) {
  const names = text.match(/\b[A-Z]\w+ [A-Z]\w+/g) ?? [];
  const name = names.find((one) => one === asked) ?? names.find((one) => isSlipOf(one, asked));
  if (name === undefined) return undefined;
  const found = new RegExp(escaped(says(name, "VALUE")).replace("VALUE", "(.+?)")).exec(text);
  return found ? { sentence: found[0], value: found[1] } : undefined;
}

function isSlipOf(name, asked) {
  if (name.length !== asked.length + 1) return false;
  return [...name].some((_, n) => name.slice(0, n) + name.slice(n + 1) === asked);
}
