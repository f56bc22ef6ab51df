import { defineHandler } from 'carillon';

defineHandler({ name: 'greet', run: ({ progress }) => progress({ greeted: true }) });
