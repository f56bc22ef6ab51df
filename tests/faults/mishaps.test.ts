import { playAll } from './harness/play.js';
import { bellsAndClocks } from './scenarios/bells-and-clocks.js';
import { crowds } from './scenarios/crowds.js';
import { races } from './scenarios/races.js';
import { sickServers } from './scenarios/sick-servers.js';

playAll('When things go wrong', [...sickServers, ...bellsAndClocks, ...races, ...crowds]);
