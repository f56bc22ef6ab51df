export * from 'carillon/testing';
