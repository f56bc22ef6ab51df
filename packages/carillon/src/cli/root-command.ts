import { carillonCommand, completion, type Group, group } from '@carillon/client/command-line';
import { doctor } from './doctor-command.js';
import { restoreCommand } from './restore-command.js';
import { serverCommands } from './server-commands.js';

/** The commands of the package `carillon`: all commands of the client, the server commands, `doctor` and `restore`. */
export const rootCommand: Group = group({
  ...carillonCommand,
  commands: [
    ...serverCommands,
    doctor,
    restoreCommand,
    ...carillonCommand.commands.filter(({ name }) => name !== 'completion'),
    completion(() => rootCommand),
  ],
});
